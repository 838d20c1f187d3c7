import { DONE, USER_IDS } from '../samples.ts'

const size = 512

/** What people read about these operations. */
export const examples = {
  readMine: {
    description:
      'The answer is the image itself: WebP, or PNG if it is generated. Ask with `If-None-Match` each time you show it, because another image may be at this address tomorrow. In an `<img>` the token may stand in the address, as `?authorization=Bearer%20<token>`.',
    example: { request: { size } },
  },
  readImage: {
    description:
      'Take the id from `profilePic` or `coverPhoto` of a profile; it changes with every new image, so `Cache-Control` lets you keep what you got. The caller sees it if they may see the profile, are friends, or got a request from that user. The token may stand in the address, as `?authorization=Bearer%20<token>`.',
    example: { request: { id: `p-${USER_IDS.blake}-0`, size } },
  },
  readAccount: {
    description:
      'For pages of the person, with the cookie of the browser. The answer is the image itself: WebP, or PNG if it is generated. Ask again each time you show it, because another image may be at this address tomorrow.',
    example: { request: { size } },
  },
  readKnown: {
    description:
      'For pages of the person, with the cookie of the browser: the picture of a friend, of somebody who asks to be one, of a child whom they look after, and of those whom that child knows. Everybody else is not found, whether or not there is somebody with the handle.',
    example: { request: { handle: '@blake', size } },
  },
  set: {
    description:
      'Send the bytes of a PNG, JPEG or WebP image as the body, at most 5 MiB. Only the pixels are kept: the place and the camera in a photo are dropped. Sending is limited by megapixels, for a household together.',
    example: { answer: DONE },
  },
  remove: {
    description:
      'All sizes are deleted at once. Profiles name another image id from now on. If there is no image, nothing changes.',
    example: { answer: DONE },
  },
}
