#pragma once

/// LE L2CAP connection-oriented channels as sockets. Every function but the last two returns a descriptor, non-blocking and closed on exec,
/// or -1 with errno set. Addresses are texts, `AA:BB:CC:DD:EE:FF`.

/// Listens on a PSM that the kernel chooses among the dynamic ones (0x80 to 0xFF).
/// `mtu`: the longest packet that channels accept.
int cbluetooth_listen(const char *adapter, int is_random, int mtu, int *psm);

/// Takes a channel that somebody opened. `device` receives the other end's address and its closing zero.
int cbluetooth_accept(int listener, char device[18]);

/// Begins to connect from an adapter; the descriptor becomes writable when that has succeeded or failed (SO_ERROR).
int cbluetooth_connect(const char *adapter, int is_random, const char *device, int device_is_random, int psm, int mtu);

/// The longest packet that the other end accepts; 0 when not known.
int cbluetooth_send_mtu(int channel);

/// Bytes of room in the channel's send buffer; -1 when not known.
int cbluetooth_room(int channel);
