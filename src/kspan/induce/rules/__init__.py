"""Mining association rules that keep everybody in a crowd."""
