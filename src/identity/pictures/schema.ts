import { type Static, Type } from 'typebox'
import { File, Id, Whole } from '../../kernel/http/input/fields.ts'
import { MAX_SIZE, MIN_SIZE } from './rules.ts'

const size = (usual: number) =>
  Type.Optional(
    Whole(
      `Width in pixels: the answer is the smallest image that is at least this wide, or else the largest. By default ${usual}`,
      MIN_SIZE,
      MAX_SIZE,
    ),
  )

export const OwnPicture = Type.Object({ size: size(256) })
export const OwnCover = Type.Object({ size: size(640) })
export const NameImage = Type.Object({
  id: Id('The image, as profilePic or coverPhoto of a profile has it', 250),
  size: Type.Optional(Whole('Width in pixels. By default 256, and 640 for a cover', MIN_SIZE, MAX_SIZE)),
})
export const NameKnown = Type.Object({ handle: Id('Handle of somebody you know here', 100), size: size(256) })
export const SetImage = Type.Object({ image: File('A PNG, JPEG or WebP image of at most 5 MiB') })

export type NameImage = Static<typeof NameImage>
export type NameKnown = Static<typeof NameKnown>
