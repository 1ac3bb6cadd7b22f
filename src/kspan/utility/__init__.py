"""How much information is lost for the sake of anonymity."""
