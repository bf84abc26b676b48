"""The stages of a check while they are carried out."""
