"""HTTP at the edge: connections, endpoints, who may call, errors as answers, descriptions."""
