"""What calls cost: prices with their date, exact arithmetic, and what is not known."""
