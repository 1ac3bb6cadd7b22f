"""What is released: shapes that hold no row of a person."""
