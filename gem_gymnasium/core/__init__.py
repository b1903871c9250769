"""The contract every environment holds to: spaces, the TextEnv adapter, snapshots, parsing."""
