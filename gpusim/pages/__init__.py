"""Results as one HTML file: pictures, tables that sort, nothing from the network."""
