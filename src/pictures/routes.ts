import { imageOperation, type Operation, ownImageOperation, personOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/output/success.ts'
import { readImage, readOwnImage, readPersonImage, removeImage, type Shown, setImage } from './pictures.ts'
import { NameImage, Nothing, OwnCover, OwnPicture, SetImage } from './schema.ts'

const area = 'Pictures'
const mine = '/user/v1/my/profile'
const account = '/account/v1/profile'

/** What every operation that answers an image has in common. */
const shown = {
  method: 'GET',
  area,
  place: 'query',
  mediaTypes: ['image/webp', 'image/png'],
  requestHeaders: { 'If-None-Match': 'ETags that the client has: 304 where the image is one of them' },
  answerHeaders: { ETag: 'Of the bytes, for If-None-Match' },
} as const

/** At the same address another image may be shown tomorrow. */
const asked = (image: Shown) => ({ ...image, cacheControl: 'private, no-cache' })
/** An id shows the same image for ever; but a generated one changes with the name. */
const kept = (image: Shown) => ({
  ...image,
  cacheControl: image.isDefault ? 'private, max-age=3600' : 'private, max-age=31536000, immutable',
})

/** A person has one of each; what can be done with them is the same. */
const KINDS = [
  {
    kind: 'picture',
    name: 'Picture',
    input: OwnPicture,
    generated: ', or one generated from their initials',
    shape: 'it is cut to a square',
  },
  { kind: 'cover', name: 'Cover', input: OwnCover, generated: ', or a generated one', shape: 'it is cut to 16 by 9' },
] as const

export const pictureOperations: readonly Operation[] = [
  ...KINDS.map(({ kind, name, input, generated }) =>
    imageOperation({
      ...shown,
      name: `readMy${name}`,
      summary: `Shows the user's own ${kind}${generated}`,
      path: `${mine}/${kind}`,
      input,
      errors: [],
      run: async ({ db, who }, what) => asked(await readOwnImage(db, who, { kind, ...what })),
    }),
  ),
  imageOperation({
    ...shown,
    name: 'readImage',
    summary: 'Shows the picture or cover of a user of the app whom the caller may see',
    path: '/image/v1/static/{id}',
    input: NameImage,
    errors: ['notFound'],
    run: async ({ db, who }, input) => kept(await readImage(db, who, input)),
  }),
  ...KINDS.map(({ kind, name, input }) =>
    ownImageOperation({
      ...shown,
      name: `readAccount${name}`,
      summary: `Shows the person's own ${kind} on the platform's pages`,
      path: `${account}/${kind}`,
      input,
      errors: [],
      run: async ({ db, who }, what) => asked(await readPersonImage(db, who, { kind, ...what })),
    }),
  ),
  ...KINDS.map(({ kind, name, shape }) =>
    personOperation({
      name: `set${name}`,
      summary: `Sets the person's ${kind}; ${shape}`,
      method: 'PUT',
      path: `${account}/${kind}`,
      area,
      input: SetImage,
      place: 'image',
      answer: Success,
      errors: [],
      run: async ({ db, who, environment, request }, { image }) => {
        const hasLeft = () => request.raw.socket.destroyed
        await setImage(db, who, { kind, image, hasLeft }, environment.workshop)
        return SUCCESS
      },
    }),
  ),
  ...KINDS.map(({ kind, name }) =>
    personOperation({
      name: `remove${name}`,
      summary: `Removes the person's ${kind}; a generated one is shown`,
      method: 'DELETE',
      path: `${account}/${kind}`,
      area,
      input: Nothing,
      place: 'query',
      answer: Success,
      errors: [],
      run: async ({ db, who }) => {
        await removeImage(db, who, { kind })
        return SUCCESS
      },
    }),
  ),
]
