"""AgentEvals: results in the JSON lines of its specification."""
