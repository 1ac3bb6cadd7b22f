"""The tables and figures of the papers again: ours beside theirs, made with the product's public interface."""
