import { type Static, Type } from 'typebox'
import { File, Id, Whole } from '../../kernel/http/input/fields.ts'
import { MAX_SIZE, MIN_SIZE } from './rules.ts'

const size = (usual: number) =>
  Type.Optional(
    Whole(
      `Width in pixels: the smallest image that is at least this wide is returned, or else the largest. Default: ${usual}`,
      MIN_SIZE,
      MAX_SIZE,
    ),
  )

export const OwnPicture = Type.Object({ size: size(256) })
export const OwnCover = Type.Object({ size: size(640) })
export const NameImage = Type.Object({
  id: Id('Id of the image, from profilePic or coverPhoto of a profile', 250),
  size: Type.Optional(Whole('Width in pixels. Default: 256, and 640 for a cover', MIN_SIZE, MAX_SIZE)),
})
export const NameKnown = Type.Object({ handle: Id('Handle of a user whom you know', 100), size: size(256) })
export const SetImage = Type.Object({ image: File('A PNG, JPEG or WebP image of at most 5 MiB') })

export type NameImage = Static<typeof NameImage>
export type NameKnown = Static<typeof NameKnown>
