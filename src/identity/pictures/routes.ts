import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { success } from '../../kernel/http/output/output.ts'
import { examples } from './examples.ts'
import {
  readImage,
  readKnownPicture,
  readOwnImage,
  readPersonImage,
  removeImage,
  type Shown,
  setImage,
} from './pictures.ts'
import { NameImage, NameKnown, OwnCover, OwnPicture, SetImage } from './schema.ts'
import { imageWorker } from './worker.ts'

const area = 'Pictures'
const mine = '/user/v1/my/profile'
const account = '/account/v1/profile'

/** What every operation that answers an image has in common. */
const shown = {
  method: 'GET',
  area,
  from: 'query',
  output: {
    kind: 'image',
    mediaTypes: ['image/webp', 'image/png'],
    headers: { ETag: 'Of the bytes, for If-None-Match' },
  },
  requestHeaders: { 'If-None-Match': 'ETags that the client has: 304 if the image is one of them' },
} as const

/** At the same address another image may be shown tomorrow. */
const asked = (image: Shown) => ({ ...image, cacheControl: 'private, no-cache' })
/** An id shows the same image for ever, once there is one of their own. */
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
    generated: ', or a generated one',
    shape: 'it is cut to a square',
  },
  { kind: 'cover', name: 'Cover', input: OwnCover, generated: ', or a generated one', shape: 'it is cut to 16 by 9' },
] as const

export const pictureOperations: readonly Operation[] = [
  ...KINDS.map(({ kind, name, input, generated }) =>
    operation({
      who: appUser,
      ...shown,
      name: `readMy${name}`,
      ...examples.readMine,
      summary: `Shows the user's own ${kind}${generated}`,
      path: `${mine}/${kind}`,
      input,
      errors: [],
      run: async ({ db, who }, what) => asked(await readOwnImage(db, who, { kind, ...what })),
    }),
  ),
  operation({
    who: appUser,
    ...shown,
    name: 'readImage',
    ...examples.readImage,
    summary: 'Shows the picture or cover of a user of the app whom the caller may see',
    path: '/image/v1/static/{id}',
    input: NameImage,
    errors: ['notFound'],
    run: async ({ db, who }, input) => kept(await readImage(db, who, input)),
  }),
  ...KINDS.map(({ kind, name, input }) =>
    operation({
      who: person,
      ...shown,
      name: `readAccount${name}`,
      ...examples.readAccount,
      summary: `Shows the person's own ${kind} on the platform's pages`,
      path: `${account}/${kind}`,
      input,
      errors: [],
      run: async ({ db, who }, what) => asked(await readPersonImage(db, who, { kind, ...what })),
    }),
  ),
  operation({
    who: person,
    ...shown,
    name: 'readKnownPicture',
    ...examples.readKnown,
    summary: "Shows the picture of somebody the person knows, on the platform's pages",
    path: '/account/v1/friends/picture',
    input: NameKnown,
    errors: ['notFound'],
    run: async ({ db, who }, what) => asked(await readKnownPicture(db, who, what)),
  }),
  ...KINDS.map(({ kind, name, shape }) =>
    operation({
      who: person,
      name: `set${name}`,
      ...examples.set,
      summary: `Sets the person's ${kind}; ${shape}`,
      method: 'PUT',
      path: `${account}/${kind}`,
      area,
      input: SetImage,
      from: 'image',
      output: success(),
      errors: [],
      run: async ({ db, who, environment, request }, { image }) => {
        const hasLeft = () => request.hasLeft
        return setImage(db, who, { kind, image, hasLeft }, environment.get(imageWorker))
      },
    }),
  ),
  ...KINDS.map(({ kind, name }) =>
    operation({
      who: person,
      name: `remove${name}`,
      ...examples.remove,
      summary: `Removes the person's ${kind}; a generated one is shown`,
      method: 'DELETE',
      path: `${account}/${kind}`,
      area,
      input: Nothing,
      from: 'query',
      output: success(),
      errors: [],
      run: ({ db, who }) => removeImage(db, who, { kind }),
    }),
  ),
]
