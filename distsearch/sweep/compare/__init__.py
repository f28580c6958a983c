"""What a study's results say."""
