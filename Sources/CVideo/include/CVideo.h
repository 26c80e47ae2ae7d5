#pragma once
#include <stddef.h>
#include <stdint.h>

/// A camera by Video4Linux 2: capture into mapped memory.

enum { CVIDEO_GREY = 1, CVIDEO_YUYV = 2, CVIDEO_MJPEG = 3 };

typedef struct {
    int descriptor;
    /// CVIDEO_…
    int format;
    unsigned width, height;
    /// Bytes from one row to the next; of no meaning for MJPEG.
    unsigned stride;
    unsigned count;
    struct {
        void *start;
        size_t length;
    } buffers[8];
    /// What could not be done, when opening fails.
    const char *failed;
} cvideo_camera;

/// Opens a device, non-blocking, in the first of the formats above that it has, near width × height, and starts it.
/// Returns 0, or an errno value; `failed` then says at what.
int cvideo_open(cvideo_camera *camera, const char *path, unsigned width, unsigned height);

/// Takes a frame: its memory, valid until it is given back, and its length in bytes.
/// Returns the buffer's number, -1 when there is none yet, -2 when the device is gone.
int cvideo_take(cvideo_camera *camera, const uint8_t **bytes, size_t *length);

/// Gives a frame's memory back to the device.
void cvideo_give(cvideo_camera *camera, int buffer);

/// Stops and closes. Closing twice is fine.
void cvideo_close(cvideo_camera *camera);
