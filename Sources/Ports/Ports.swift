// Ports
