"""Several daemons on one database: hosts, lanes under a lease, one bus of events."""
