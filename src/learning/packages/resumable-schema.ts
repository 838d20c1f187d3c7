import { type Static, Type } from 'typebox'
import { FileStream, Id, Text, Whole } from '../../kernel/http/input/fields.ts'

/** Sizes of parts. All but the last have at least `least` bytes, so that an upload has few rows. */
export const PART_BYTES = { least: 2 ** 20, most: 32 * 2 ** 20 } as const

const uploadId = Id('Id of an upload')

export const CreatePackageUpload = Type.Object({
  organisation: Id('Key of the organisation'),
  name: Text('Name of the file, such as `fuel-planning.zip`', 200),
  bytes: Whole('Size of the whole file (bytes)', 1, 2 ** 32),
})
export type CreatePackageUpload = Static<typeof CreatePackageUpload>

export const StorePackagePart = Type.Object({
  uploadId,
  offset: Whole('Position of the part in the file (bytes): what `receivedBytes` says', 0, 2 ** 32),
  part: FileStream('The part: from 1 MiB to 32 MiB, the last one also less'),
})
export type StorePackagePart = Static<typeof StorePackagePart>

export const NamePackageUpload = Type.Object({ uploadId })
export type NamePackageUpload = Static<typeof NamePackageUpload>

export const PackageUpload = Type.Object(
  {
    uploadId: Type.String(),
    organisation: Type.String(),
    name: Type.String(),
    bytes: Type.Integer({ description: 'Size of the whole file' }),
    receivedBytes: Type.Integer({ description: 'How much of the file has arrived: where the next part begins' }),
    expiresDate: Type.String({
      format: 'date-time',
      description: 'When the upload is deleted: 24 hours after its last part',
    }),
    packageId: Type.Union([Type.String(), Type.Null()], { description: 'The package that it became, at the end' }),
  },
  { title: 'PackageUpload' },
)
export type PackageUpload = Static<typeof PackageUpload>
