"""What every thing of a kind must satisfy, a module a kind; the registries are run through them."""
