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
  { kind: 'picture', name: 'Picture', input: OwnPicture, shape: 'a square' },
  { kind: 'cover', name: 'Cover', input: OwnCover, shape: '16 by 9' },
] as const

export const pictureOperations: readonly Operation[] = [
  ...KINDS.map(({ kind, name, input }) =>
    op(`GET /user/v1/my/profile/${kind}`, {
      who: appUser,
      scope: 'profile',
      ...imageAnswer,
      name: `readMy${name}`,
      description: `Returns the calling user's ${kind} as WebP, or a generated one as PNG. Send \`If-None-Match\` each time you show it, because the image at this URL can change. In an \`<img>\` the token can be in the query, as \`?authorization=Bearer%20<token>\`.`,
      example: { request: { size: 512 } },
      summary: `Get your ${kind}`,
      input,
      run: async ({ db, who }, what) => revalidated(await readOwnImage(db, who, { kind, ...what })),
    }),
  ),
  op('GET /image/v1/static/{id}', {
    who: appUser,
    // Whoever knows a user id can guess the ids of that user's images.
    scope: 'profile',
    ...imageAnswer,
    name: 'readImage',
    description:
      'Returns the picture or the cover of a user of the app, by the id in `profilePic` or `coverPhoto` of a profile. The id changes with every new image, so `Cache-Control` lets you cache it. The caller sees the image if they can see the profile, are friends with the user, or received a request from them; the token can be in the query, as `?authorization=Bearer%20<token>`.',
    example: { request: { id: `p-${USER_IDS.blake}-0`, size: 512 } },
    summary: "Get a user's image",
    input: NameImage,
    errors: ['notFound'],
    run: async ({ db, who }, input) => cached(await readImage(db, who, input)),
  }),
  ...KINDS.map(({ kind, name, input }) =>
    op(`GET /account/v1/profile/${kind}`, {
      ...imageAnswer,
      name: `readAccount${name}`,
      description: `Returns the caller's ${kind} as WebP, or a generated one as PNG, for the platform's own pages. Request it each time you show it, because the image at this URL can change.`,
      example: { request: { size: 512 } },
      summary: `Get your account's ${kind}`,
      input,
      run: async ({ db, who }, what) => revalidated(await readPersonImage(db, who, { kind, ...what })),
    }),
  ),
  op('GET /account/v1/friends/picture', {
    ...imageAnswer,
    name: 'readKnownPicture',
    description:
      "Returns the picture of a friend of the caller, of a user who sent them a friend request, of their child, or of a user whom that child knows. It is for the platform's own pages, with the cookie of the browser. All others get 404, whether or not the handle exists.",
    example: { request: { handle: '@blake', size: 512 } },
    summary: "Get a friend's picture",
    input: NameKnown,
    errors: ['notFound'],
    run: async ({ db, who }, what) => revalidated(await readKnownPicture(db, who, what)),
  }),
  ...KINDS.map(({ kind, name, shape }) =>
    op(`PUT /account/v1/profile/${kind}`, {
      name: `set${name}`,
      description: `Sets the caller's ${kind} to the PNG, JPEG or WebP image in the body, of at most 5 MiB, and crops it to ${shape}. Only the pixels are kept: location and camera data are removed. Uploads are limited by megapixels, per household.`,
      summary: `Replace your ${kind}`,
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
      description: `Deletes the caller's ${kind} in all sizes; a generated one is shown instead. Profiles get a new image id. If there is no image, nothing changes.`,
      summary: `Delete your ${kind}`,
      input: Nothing,
      from: 'query',
      output: success(),
      run: ({ db, who }) => removeImage(db, who, { kind }),
    }),
  ),
]
