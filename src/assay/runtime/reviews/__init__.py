"""What people decide: cases shown, decisions taken and recorded."""
