"""Models as pictures: first the facts that may be drawn, then the drawing."""
