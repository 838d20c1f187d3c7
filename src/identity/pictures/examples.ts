import { DONE, USER_IDS } from '../../kernel/samples.ts'

const size = 512

/** What people read about these operations. */
export const examples = {
  readMine: {
    description:
      'The answer is the image itself: WebP, or PNG if it is generated. Ask with `If-None-Match` each time you show it, because the image at this address can change. In an `<img>` the token can be part of the address, as `?authorization=Bearer%20<token>`.',
    example: { request: { size } },
  },
  readImage: {
    description:
      'Take the id from `profilePic` or `coverPhoto` of a profile; it changes with every new image, so `Cache-Control` lets you keep what you got. The caller sees it if they can see the profile, are friends with the user, or got a request from them. The token can be part of the address, as `?authorization=Bearer%20<token>`.',
    example: { request: { id: `p-${USER_IDS.blake}-0`, size } },
  },
  readAccount: {
    description:
      'For pages of the person, with the cookie of the browser. The answer is the image itself: WebP, or PNG if it is generated. Ask again each time you show it, because the image at this address can change.',
    example: { request: { size } },
  },
  readKnown: {
    description:
      'For pages of the person, with the cookie of the browser: the picture of a friend, of somebody who asks to be one, of a child whom they look after, and of those whom that child knows. Everybody else gets 404, whether or not the handle exists.',
    example: { request: { handle: '@blake', size } },
  },
  set: {
    description:
      'Send the bytes of a PNG, JPEG or WebP image as the body, at most 5 MiB. Only the pixels are kept: location and camera data are removed. Uploads are limited by megapixels, per household.',
    example: { answer: DONE },
  },
  remove: {
    description: 'All sizes are deleted at once. Profiles get a new image id. If there is no image, nothing changes.',
    example: { answer: DONE },
  },
}
