"""Quality, measured: suites that run the product on data and print figures with their uncertainty."""
