import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { PACKAGE_ID } from '../../kernel/samples.ts'
import { FILE_DELETERS, FILE_ROLES } from '../content/roles.ts'
import { deletePackage, listPackageItems, listPackages, readPackage } from './packages.ts'
import { resumableOperations } from './resumable-routes.ts'
import {
  ContentPackagePage,
  ListPackageItems,
  ListPackages,
  NamePackage,
  PackageDetails,
  PackageItemPage,
  UploadPackage,
} from './schema.ts'
import { uploadPackage } from './upload.ts'

const op = operationsIn({ area: 'Packages', who: person })

/** A course structure without a zip archive, for the example. */
const EXAMPLE = `<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd">
  <course id="https://sandhills.example/courses/fuel">
    <title><langstring lang="en">Fuel planning</langstring></title>
    <description><langstring lang="en">How much fuel a flight needs</langstring></description>
  </course>
  <au id="https://sandhills.example/courses/fuel/reserve" moveOn="Passed" masteryScore="0.8">
    <title><langstring lang="en">Reserve fuel</langstring></title>
    <description><langstring lang="en">Day and night reserves</langstring></description>
    <url>https://content.sandhills.example/fuel/index.html</url>
  </au>
</courseStructure>
`

export const packageOperations: readonly Operation[] = [
  op('POST /edu/v1/package', {
    name: 'uploadPackage',
    summary: 'Upload a content package',
    description:
      'Checks the package in the body and stores it: a zip or Zip64 archive that follows cmi5, SCORM 1.2 or SCORM 2004, or the course structure of cmi5 alone. A package that cannot work is refused, and `faults` lists what is wrong; small faults of SCORM packages are tolerated and listed in `notes`. Sending the same package again returns the first one.',
    example: {
      request: { organisation: 'sandhills', name: 'cmi5.xml', file: EXAMPLE },
      as: 'casey',
      isLive: true,
      fill: { file: 'A content package' },
    },
    roles: FILE_ROLES,
    input: UploadPackage,
    from: 'stream',
    bodyBytes: ({ PACKAGE_BYTES }) => PACKAGE_BYTES,
    output: json(PackageDetails),
    errors: ['forbidden', 'impossibleNow', 'storageFull', 'validationFailed'],
    run: ({ db, who, environment }, input) => uploadPackage(db, who, input, environment),
  }),
  ...resumableOperations(EXAMPLE),
  op('GET /edu/v1/packages', {
    name: 'listPackages',
    summary: 'List content packages',
    description:
      'Returns the packages of an organisation, newest first, each with the courses that use it. Owners and administrators see them, and instructors of a class of the organisation.',
    example: { request: { organisation: 'sandhills' }, as: 'casey', after: 'uploadPackage', isLive: true },
    roles: FILE_ROLES,
    input: ListPackages,
    output: json(ContentPackagePage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listPackages(db, who, input),
  }),
  op('GET /edu/v1/package', {
    name: 'readPackage',
    summary: 'Get a content package',
    description:
      'Returns a package with the course that it describes, and the courses of the organisation that use it. The uploaded file can be downloaded at `url`.',
    example: {
      request: { packageId: PACKAGE_ID },
      as: 'casey',
      after: 'uploadPackage',
      fill: { packageId: 'The id of a package that was uploaded' },
    },
    roles: FILE_ROLES,
    input: NamePackage,
    output: json(PackageDetails),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => readPackage(db, who, input, environment),
  }),
  op('GET /edu/v1/package/items', {
    name: 'listPackageItems',
    summary: 'List the items of a content package',
    description:
      'Returns the blocks and units of a package, in the order of the package. A unit is what a student starts, and a block groups units and blocks.',
    example: {
      request: { packageId: PACKAGE_ID },
      as: 'casey',
      after: 'uploadPackage',
      fill: { packageId: 'The id of a package that was uploaded' },
    },
    roles: FILE_ROLES,
    input: ListPackageItems,
    output: json(PackageItemPage),
    errors: ['forbidden'],
    run: ({ db, who }, input) => listPackageItems(db, who, input),
  }),
  op('POST /edu/v1/package/delete', {
    name: 'deletePackage',
    summary: 'Delete a content package',
    description:
      'Deletes a package of an organisation, with its files. A package that a course uses, in a version or the draft, cannot be deleted. Instructors can delete only packages that they uploaded.',
    example: {
      request: { packageId: PACKAGE_ID },
      as: 'casey',
      after: 'uploadPackage',
      fill: { packageId: 'The id of a package that was uploaded' },
    },
    roles: FILE_DELETERS,
    input: NamePackage,
    output: success(),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who }, input) => deletePackage(db, who, input),
  }),
]
