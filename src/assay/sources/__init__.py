"""What comes in: mail and documents as named texts. Pure."""
