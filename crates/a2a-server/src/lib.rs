//! Serve an agent over the A2A protocol: task engine, stores, JSON-RPC and HTTP+JSON as a hyper service
