import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import type { Role } from '../../kernel/roles.ts'
import { PACKAGE_UPLOAD_ID } from '../../kernel/samples.ts'
import { FILE_ROLES } from '../content/roles.ts'
import {
  CreatePackageUpload,
  NamePackageUpload,
  PART_BYTES,
  PackageUpload,
  StorePackagePart,
} from './resumable-schema.ts'
import {
  createPackageUpload,
  deletePackageUpload,
  finishPackageUpload,
  readPackageUpload,
  storePackagePart,
} from './resumable-upload.ts'
import { PackageDetails } from './schema.ts'

const op = operationsIn({ area: 'Packages', who: person })

/** Only the person who began an upload goes on with it. */
const UPLOADER: readonly Role[] = ['uploader']

const named = {
  request: { uploadId: PACKAGE_UPLOAD_ID },
  as: 'casey' as const,
  after: 'createPackageUpload',
  isLive: true,
  fill: { uploadId: 'The id of an upload that was begun' },
}

/** Operations for packages that are uploaded in parts. */
export const resumableOperations = (example: string): readonly Operation[] => [
  op('POST /edu/v1/package/upload', {
    name: 'createPackageUpload',
    summary: 'Begin to upload a package in parts',
    description:
      'Begins an upload that can go on after its connection was lost. Send the parts with `storePackagePart`, then call `finishPackageUpload`. The announced size is taken from the storage of the organisation until the upload ends or expires.',
    example: {
      request: { organisation: 'sandhills', name: 'cmi5.xml', bytes: Buffer.byteLength(example) },
      as: 'casey',
      isLive: true,
    },
    roles: FILE_ROLES,
    input: CreatePackageUpload,
    output: json(PackageUpload),
    errors: ['bodyTooLarge', 'forbidden', 'impossibleNow', 'notReady', 'storageFull'],
    run: ({ db, who, environment }, input) => createPackageUpload(db, who, input, environment),
  }),
  op('PUT /edu/v1/package/upload/part', {
    name: 'storePackagePart',
    summary: 'Send a part of a package',
    description:
      'Stores the part in the body, which must begin where the last one ended. A part that arrives only partly is not stored. Sending a part again changes nothing; a part at another offset gets 409, and the message says where to go on.',
    example: { ...named, request: { uploadId: PACKAGE_UPLOAD_ID, offset: 0, part: example } },
    roles: UPLOADER,
    input: StorePackagePart,
    from: 'stream',
    bodyBytes: () => PART_BYTES.most,
    output: json(PackageUpload),
    errors: ['conflict', 'forbidden', 'impossibleNow', 'validationFailed'],
    run: ({ db, who, environment }, input) => storePackagePart(db, who, input, environment),
  }),
  op('GET /edu/v1/package/upload', {
    name: 'readPackageUpload',
    summary: 'Get the state of an upload',
    description:
      'Returns how much of an upload has arrived, and where the next part begins. Only the person who began the upload can see it.',
    example: named,
    roles: UPLOADER,
    input: NamePackageUpload,
    output: json(PackageUpload),
    errors: ['forbidden'],
    run: ({ db, who }, input) => readPackageUpload(db, who, input),
  }),
  op('POST /edu/v1/package/upload/finish', {
    name: 'finishPackageUpload',
    summary: 'Complete an upload in parts',
    description:
      'Checks the package whose parts have all arrived and stores it, as `uploadPackage` does: a package that violates cmi5 is refused, and `faults` lists what is wrong. Repeating the request returns the same package, or the same refusal.',
    example: { ...named, after: 'storePackagePart' },
    roles: UPLOADER,
    input: NamePackageUpload,
    refusesIdempotencyKey: true,
    output: json(PackageDetails),
    errors: ['conflict', 'forbidden', 'impossibleNow', 'notReady', 'storageFull', 'validationFailed'],
    run: ({ db, who, environment }, input) => finishPackageUpload(db, who, input, environment),
  }),
  op('POST /edu/v1/package/upload/delete', {
    name: 'deletePackageUpload',
    summary: 'Delete an upload in parts',
    description:
      'Deletes an upload with its parts, and frees the storage that it has taken. A package that it became stays.',
    example: named,
    roles: UPLOADER,
    input: NamePackageUpload,
    output: success(),
    errors: ['forbidden'],
    run: ({ db, who }, input) => deletePackageUpload(db, who, input),
  }),
]
