#define _GNU_SOURCE
#include "CBluetooth.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The kernel's interface, which only libbluetooth's headers write down; these few lines are all of it that is used.
enum { PROTOCOL_L2CAP = 0, LE_PUBLIC = 1, LE_RANDOM = 2 };
enum { OPTION_LEVEL = 274, OPTION_SEND_MTU = 12, OPTION_RECEIVE_MTU = 13 };

struct l2cap_address {
    sa_family_t family;
    uint16_t psm; // little-endian, as everything here
    uint8_t device[6];
    uint16_t cid;
    uint8_t type;
};

static int parse(const char *text, uint8_t bytes[6]) {
    unsigned octets[6];
    if (strlen(text) != 17 || sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", &octets[5], &octets[4], &octets[3], &octets[2], &octets[1],
                                     &octets[0]) != 6) {
        errno = EINVAL;
        return -1;
    }
    for (int i = 0; i < 6; i++) bytes[i] = (uint8_t)octets[i];
    return 0;
}

static int fail(int descriptor) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

/// A socket bound to an adapter, PSM 0.
static int bound(const char *adapter, int is_random, int mtu) {
    struct l2cap_address own = {.family = AF_BLUETOOTH, .type = is_random ? LE_RANDOM : LE_PUBLIC};
    if (parse(adapter, own.device) < 0) return -1;
    int descriptor = socket(AF_BLUETOOTH, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_L2CAP);
    if (descriptor < 0) return -1;
    // The kernel refuses the MTU before it knows that this is LE.
    uint16_t limit = (uint16_t)mtu;
    if (bind(descriptor, (struct sockaddr *)&own, sizeof own) < 0) return fail(descriptor);
    if (setsockopt(descriptor, OPTION_LEVEL, OPTION_RECEIVE_MTU, &limit, sizeof limit) < 0) return fail(descriptor);
    return descriptor;
}

int cbluetooth_listen(const char *adapter, int is_random, int mtu, int *psm) {
    int descriptor = bound(adapter, is_random, mtu);
    if (descriptor < 0) return -1;
    if (listen(descriptor, 2) < 0) return fail(descriptor);
    struct l2cap_address own;
    socklen_t size = sizeof own;
    if (getsockname(descriptor, (struct sockaddr *)&own, &size) < 0) return fail(descriptor);
    const uint8_t *number = (const uint8_t *)&own.psm;
    *psm = number[0] | number[1] << 8;
    return descriptor;
}

int cbluetooth_accept(int listener, char device[18]) {
    struct l2cap_address other;
    socklen_t size = sizeof other;
    memset(&other, 0, sizeof other);
    int descriptor = accept4(listener, (struct sockaddr *)&other, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return -1;
    const uint8_t *d = other.device;
    snprintf(device, 18, "%02X:%02X:%02X:%02X:%02X:%02X", d[5], d[4], d[3], d[2], d[1], d[0]);
    return descriptor;
}

int cbluetooth_connect(const char *adapter, int is_random, const char *device, int device_is_random, int psm, int mtu) {
    struct l2cap_address other = {.family = AF_BLUETOOTH, .type = device_is_random ? LE_RANDOM : LE_PUBLIC};
    if (parse(device, other.device) < 0) return -1;
    ((uint8_t *)&other.psm)[0] = (uint8_t)psm;
    ((uint8_t *)&other.psm)[1] = (uint8_t)(psm >> 8);
    int descriptor = bound(adapter, is_random, mtu);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&other, sizeof other) < 0 && errno != EINPROGRESS && errno != EAGAIN)
        return fail(descriptor);
    return descriptor;
}

int cbluetooth_send_mtu(int channel) {
    uint16_t mtu = 0;
    socklen_t size = sizeof mtu;
    return getsockopt(channel, OPTION_LEVEL, OPTION_SEND_MTU, &mtu, &size) < 0 ? 0 : mtu;
}

int cbluetooth_room(int channel) {
    int room = 0;
    return ioctl(channel, TIOCOUTQ, &room) < 0 ? -1 : room;
}
