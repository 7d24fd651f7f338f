"""Results as pictures: each module draws one kind, into axes that are given or into a figure of its own."""
