"""Models of other libraries, and plain functions: what they read, and what can be told of their insides."""
