import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { success } from '../../kernel/http/output/output.ts'
import { USER_IDS } from '../../kernel/samples.ts'
import {
  readImage,
  readKnownPicture,
  readOwnImage,
  readPersonImage,
  removeImage,
  type ServedImage,
  setImage,
} from './pictures.ts'
import { NameImage, NameKnown, OwnCover, OwnPicture, SetImage } from './schema.ts'
import { imageWorker } from './worker.ts'

const op = operationsIn({ area: 'Pictures', who: person })

/** The fields shared by all operations that return an image. */
const imageAnswer = {
  output: {
    kind: 'image',
    mediaTypes: ['image/webp', 'image/png'],
    headers: { ETag: 'Identifies the image, for If-None-Match' },
  },
  requestHeaders: { 'If-None-Match': 'ETags of cached images: 304 if the image is one of them' },
} as const

/** The image at this URL can change, so browsers must revalidate it each time. */
const revalidated = (image: ServedImage) => ({ ...image, cacheControl: 'private, no-cache' })
/**
 * An image id always refers to the same uploaded image. While there is none, it refers to the generated image, which is
 * cached for an hour only.
 */
const cached = (image: ServedImage) => ({
  ...image,
  cacheControl: image.isDefault ? 'private, max-age=3600' : 'private, max-age=31536000, immutable',
})

/** A person has one image of each kind, and both kinds have the same operations. */
const KINDS = [
  {
    kind: 'picture',
    name: 'Picture',
    input: OwnPicture,
    generated: ', or a generated one',
    shape: 'it is cut to a square',
  },
  { kind: 'cover', name: 'Cover', input: OwnCover, generated: ', or a generated one', shape: 'it is cut to 16 by 9' },
] as const

export const pictureOperations: readonly Operation[] = [
  ...KINDS.map(({ kind, name, input, generated }) =>
    op(`GET /user/v1/my/profile/${kind}`, {
      who: appUser,
      ...imageAnswer,
      name: `readMy${name}`,
      description:
        'The answer is the image itself: WebP, or PNG if it is generated. Ask with `If-None-Match` each time you show it, because the image at this address can change. In an `<img>` the token can be part of the address, as `?authorization=Bearer%20<token>`.',
      example: { request: { size: 512 } },
      summary: `Shows the user's own ${kind}${generated}`,
      input,
      run: async ({ db, who }, what) => revalidated(await readOwnImage(db, who, { kind, ...what })),
    }),
  ),
  op('GET /image/v1/static/{id}', {
    who: appUser,
    ...imageAnswer,
    name: 'readImage',
    description:
      'Take the id from `profilePic` or `coverPhoto` of a profile; it changes with every new image, so `Cache-Control` lets you keep what you got. The caller sees it if they can see the profile, are friends with the user, or got a request from them. The token can be part of the address, as `?authorization=Bearer%20<token>`.',
    example: { request: { id: `p-${USER_IDS.blake}-0`, size: 512 } },
    summary: 'Shows the picture or cover of a user of the app whom the caller may see',
    input: NameImage,
    errors: ['notFound'],
    run: async ({ db, who }, input) => cached(await readImage(db, who, input)),
  }),
  ...KINDS.map(({ kind, name, input }) =>
    op(`GET /account/v1/profile/${kind}`, {
      ...imageAnswer,
      name: `readAccount${name}`,
      description:
        'For pages of the person, with the cookie of the browser. The answer is the image itself: WebP, or PNG if it is generated. Ask again each time you show it, because the image at this address can change.',
      example: { request: { size: 512 } },
      summary: `Shows the person's own ${kind} on the platform's pages`,
      input,
      run: async ({ db, who }, what) => revalidated(await readPersonImage(db, who, { kind, ...what })),
    }),
  ),
  op('GET /account/v1/friends/picture', {
    ...imageAnswer,
    name: 'readKnownPicture',
    description:
      'For pages of the person, with the cookie of the browser: the picture of a friend, of somebody who asks to be one, of a child whom they look after, and of those whom that child knows. Everybody else gets 404, whether or not the handle exists.',
    example: { request: { handle: '@blake', size: 512 } },
    summary: "Shows the picture of somebody the person knows, on the platform's pages",
    input: NameKnown,
    errors: ['notFound'],
    run: async ({ db, who }, what) => revalidated(await readKnownPicture(db, who, what)),
  }),
  ...KINDS.map(({ kind, name, shape }) =>
    op(`PUT /account/v1/profile/${kind}`, {
      name: `set${name}`,
      description:
        'Send the bytes of a PNG, JPEG or WebP image as the body, at most 5 MiB. Only the pixels are kept: location and camera data are removed. Uploads are limited by megapixels, per household.',
      summary: `Sets the person's ${kind}; ${shape}`,
      input: SetImage,
      from: 'image',
      output: success(),
      run: async ({ db, who, environment, request }, { image }) => {
        const hasLeft = () => request.hasLeft
        return setImage(db, who, { kind, image, hasLeft }, environment.get(imageWorker))
      },
    }),
  ),
  ...KINDS.map(({ kind, name }) =>
    op(`DELETE /account/v1/profile/${kind}`, {
      name: `remove${name}`,
      description: 'All sizes are deleted at once. Profiles get a new image id. If there is no image, nothing changes.',
      summary: `Removes the person's ${kind}; a generated one is shown`,
      input: Nothing,
      from: 'query',
      output: success(),
      run: ({ db, who }) => removeImage(db, who, { kind }),
    }),
  ),
]
