#define _GNU_SOURCE
#include "CVideo.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFERS = 4 };

static const struct {
    int format;
    uint32_t code;
} formats[] = {{CVIDEO_GREY, V4L2_PIX_FMT_GREY}, {CVIDEO_YUYV, V4L2_PIX_FMT_YUYV}, {CVIDEO_MJPEG, V4L2_PIX_FMT_MJPEG}};

static int request(int descriptor, unsigned long number, void *argument) {
    int result;
    do result = ioctl(descriptor, number, argument);
    while (result < 0 && errno == EINTR);
    return result;
}

static int fail(cvideo_camera *camera, const char *what) {
    int code = errno ? errno : EINVAL;
    camera->failed = what;
    cvideo_close(camera);
    return code;
}

/// Sets the first format that the device takes as it is.
static int choose(cvideo_camera *camera, unsigned width, unsigned height) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct v4l2_format wanted;
        memset(&wanted, 0, sizeof wanted);
        wanted.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
        wanted.fmt.pix.width = width;
        wanted.fmt.pix.height = height;
        wanted.fmt.pix.pixelformat = formats[i].code;
        wanted.fmt.pix.field = V4L2_FIELD_NONE;
        if (request(camera->descriptor, VIDIOC_S_FMT, &wanted) < 0) continue;
        if (wanted.fmt.pix.pixelformat != formats[i].code) continue;
        camera->format = formats[i].format;
        camera->width = wanted.fmt.pix.width;
        camera->height = wanted.fmt.pix.height;
        camera->stride = wanted.fmt.pix.bytesperline;
        return 0;
    }
    errno = ENOTSUP;
    return -1;
}

int cvideo_open(cvideo_camera *camera, const char *path, unsigned width, unsigned height) {
    memset(camera, 0, sizeof *camera);
    camera->descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (camera->descriptor < 0) return fail(camera, "opening it");
    struct v4l2_capability able;
    if (request(camera->descriptor, VIDIOC_QUERYCAP, &able) < 0) return fail(camera, "asking what it can do");
    uint32_t has = able.capabilities & V4L2_CAP_DEVICE_CAPS ? able.device_caps : able.capabilities;
    if (!(has & V4L2_CAP_VIDEO_CAPTURE) || !(has & V4L2_CAP_STREAMING)) {
        errno = ENOTSUP;
        return fail(camera, "capturing");
    }
    if (choose(camera, width, height) < 0) return fail(camera, "choosing GREY, YUYV or MJPEG");
    struct v4l2_requestbuffers wanted = {.count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (request(camera->descriptor, VIDIOC_REQBUFS, &wanted) < 0) return fail(camera, "getting its memory");
    for (unsigned i = 0; i < wanted.count && i < 8; i++) {
        struct v4l2_buffer buffer = {.index = i, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
        if (request(camera->descriptor, VIDIOC_QUERYBUF, &buffer) < 0) return fail(camera, "getting its memory");
        void *start = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, camera->descriptor, buffer.m.offset);
        if (start == MAP_FAILED) return fail(camera, "mapping its memory");
        camera->buffers[i].start = start;
        camera->buffers[i].length = buffer.length;
        camera->count = i + 1;
        if (request(camera->descriptor, VIDIOC_QBUF, &buffer) < 0) return fail(camera, "handing it memory");
    }
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    if (camera->count == 0 || request(camera->descriptor, VIDIOC_STREAMON, &type) < 0) return fail(camera, "starting it");
    return 0;
}

int cvideo_take(cvideo_camera *camera, const uint8_t **bytes, size_t *length) {
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    if (request(camera->descriptor, VIDIOC_DQBUF, &buffer) < 0) return errno == EAGAIN || errno == EIO ? -1 : -2;
    if (buffer.index >= camera->count) return -2;
    size_t limit = camera->buffers[buffer.index].length;
    *bytes = camera->buffers[buffer.index].start;
    *length = buffer.flags & V4L2_BUF_FLAG_ERROR ? 0 : buffer.bytesused < limit ? buffer.bytesused : limit;
    return (int)buffer.index;
}

void cvideo_give(cvideo_camera *camera, int number) {
    struct v4l2_buffer buffer = {.index = (unsigned)number, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
    request(camera->descriptor, VIDIOC_QBUF, &buffer);
}

void cvideo_close(cvideo_camera *camera) {
    for (unsigned i = 0; i < camera->count; i++) munmap(camera->buffers[i].start, camera->buffers[i].length);
    camera->count = 0;
    if (camera->descriptor >= 0) close(camera->descriptor);
    camera->descriptor = -1;
}
