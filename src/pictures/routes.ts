import { imageOperation, type Operation, ownImageOperation, personOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/success.ts'
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

export const pictureOperations: readonly Operation[] = [
  imageOperation({
    ...shown,
    name: 'readMyPicture',
    summary: "Shows the user's own picture, or one generated from their initials",
    path: `${mine}/picture`,
    input: OwnPicture,
    errors: [],
    run: async ({ db, who }, input) => asked(await readOwnImage(db, who, { kind: 'picture', ...input })),
  }),
  imageOperation({
    ...shown,
    name: 'readMyCover',
    summary: "Shows the user's own cover, or a generated one",
    path: `${mine}/cover`,
    input: OwnCover,
    errors: [],
    run: async ({ db, who }, input) => asked(await readOwnImage(db, who, { kind: 'cover', ...input })),
  }),
  imageOperation({
    ...shown,
    name: 'readImage',
    summary: 'Shows the picture or cover of a user of the app whom the caller may see',
    path: '/image/v1/static/{id}',
    input: NameImage,
    errors: ['notFound'],
    run: async ({ db, who }, input) => kept(await readImage(db, who, input)),
  }),
  ownImageOperation({
    ...shown,
    name: 'readAccountPicture',
    summary: "Shows the person's own picture on the platform's pages",
    path: `${account}/picture`,
    input: OwnPicture,
    errors: [],
    run: async ({ db, who }, input) => asked(await readPersonImage(db, who, { kind: 'picture', ...input })),
  }),
  ownImageOperation({
    ...shown,
    name: 'readAccountCover',
    summary: "Shows the person's own cover on the platform's pages",
    path: `${account}/cover`,
    input: OwnCover,
    errors: [],
    run: async ({ db, who }, input) => asked(await readPersonImage(db, who, { kind: 'cover', ...input })),
  }),
  personOperation({
    name: 'setPicture',
    summary: "Sets the person's picture; it is cut to a square",
    method: 'PUT',
    path: `${account}/picture`,
    area,
    input: SetImage,
    place: 'image',
    answer: Success,
    errors: [],
    run: async ({ db, who }, { image }) => {
      await setImage(db, who, { kind: 'picture', image })
      return SUCCESS
    },
  }),
  personOperation({
    name: 'setCover',
    summary: "Sets the person's cover; it is cut to 16 by 9",
    method: 'PUT',
    path: `${account}/cover`,
    area,
    input: SetImage,
    place: 'image',
    answer: Success,
    errors: [],
    run: async ({ db, who }, { image }) => {
      await setImage(db, who, { kind: 'cover', image })
      return SUCCESS
    },
  }),
  personOperation({
    name: 'removePicture',
    summary: "Removes the person's picture; a generated one is shown",
    method: 'DELETE',
    path: `${account}/picture`,
    area,
    input: Nothing,
    place: 'query',
    answer: Success,
    errors: [],
    run: async ({ db, who }) => {
      await removeImage(db, who, { kind: 'picture' })
      return SUCCESS
    },
  }),
  personOperation({
    name: 'removeCover',
    summary: "Removes the person's cover; a generated one is shown",
    method: 'DELETE',
    path: `${account}/cover`,
    area,
    input: Nothing,
    place: 'query',
    answer: Success,
    errors: [],
    run: async ({ db, who }) => {
      await removeImage(db, who, { kind: 'cover' })
      return SUCCESS
    },
  }),
]
