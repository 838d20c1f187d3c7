import { type Static, Type } from 'typebox'
import { FileStream, Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const organisation = Id('Key of the organisation')
const packageId = Id('Id of a package')

export const UploadPackage = Type.Object({
  organisation,
  name: Type.Optional(Text('Name of the file. Default: `package.zip`', 200)),
  file: FileStream(
    'The package: a zip or Zip64 archive with `cmi5.xml` or `imsmanifest.xml` at its root, or `cmi5.xml` alone',
  ),
})
export type UploadPackage = Static<typeof UploadPackage>

export const ListPackages = Type.Object({
  organisation,
  query: Type.Optional(Text('Words in the title of the package', 200)),
  ...paging,
})
export type ListPackages = Static<typeof ListPackages>

export const NamePackage = Type.Object({ packageId })
export type NamePackage = Static<typeof NamePackage>

export const ListPackageItems = Type.Object({ packageId, ...paging })
export type ListPackageItems = Static<typeof ListPackageItems>

const Languages = Type.Record(Type.String(), Type.String(), {
  description: 'Texts by language tag; `und` if the package names no language',
})

const packageFields = {
  packageId: Type.String(),
  organisation: Type.String(),
  kind: Type.String({
    enum: ['cmi5', 'scorm12', 'scorm2004'],
    description: 'Standard that the package follows: cmi5, SCORM 1.2 or SCORM 2004',
  }),
  title: Type.String({ description: 'Title in English, or else in the first language' }),
  name: Type.String({ description: 'Name of the uploaded file' }),
  bytes: Type.Integer({ description: 'Size of the uploaded file' }),
  storedBytes: Type.Integer({ description: 'Storage that the uploaded file and its unpacked files use' }),
  files: Type.Integer({ description: 'Number of files in the archive' }),
  units: Type.Integer({ description: 'Number of units: AUs of cmi5, SCOs and assets of SCORM' }),
  blocks: Type.Integer({ description: 'Number of blocks' }),
  author: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the user who uploaded it' }),
  createdDate: Type.String({ format: 'date-time' }),
  courses: Type.Array(Type.Object({ courseId: Type.String(), name: Type.String() }), {
    description: 'The courses that use it, in a version or the draft: the first five by name that the caller may see',
  }),
  courseCount: Type.Integer({ description: 'Number of courses that use it' }),
  may: Type.Object({ delete: Type.Boolean() }, { description: 'What the caller may do with the package' }),
}

export const ContentPackage = Type.Object(packageFields, { title: 'ContentPackage' })
export type ContentPackage = Static<typeof ContentPackage>
export const ContentPackagePage = PageOf(ContentPackage, 'ContentPackagePage')

export const PackageDetails = Type.Object(
  {
    ...packageFields,
    url: Type.String({ description: 'Where browsers load the uploaded file. Valid for at least six hours' }),
    edition: Type.Optional(
      Type.String({
        enum: ['1.2', '2004 2nd Edition', '2004 3rd Edition', '2004 4th Edition'],
        description: 'Edition of SCORM',
      }),
    ),
    notes: Type.Array(
      Type.Object({
        pointer: Type.String({ description: 'Where in the document it is; empty for the package as a whole' }),
        message: Type.String(),
      }),
      { description: 'Faults that were tolerated. Check that the package works as its author meant it' },
    ),
    course: Type.Object(
      {
        id: Type.String({ description: 'Id that the author gave the course: an IRI in cmi5' }),
        title: Languages,
        description: Languages,
        objectives: Type.Array(Type.Object({ id: Type.String(), title: Languages, description: Languages })),
      },
      { description: 'The course as the package describes it' },
    ),
  },
  { title: 'PackageDetails' },
)
export type PackageDetails = Static<typeof PackageDetails>

export const PackageItem = Type.Object(
  {
    position: Type.Integer({ description: 'Position in the package, from 0' }),
    parent: Type.Union([Type.Integer(), Type.Null()], { description: 'Position of its block; null at the top' }),
    kind: Type.String({ enum: ['unit', 'block'], description: 'A unit is what a student starts' }),
    id: Type.String({ description: 'Id that the author gave it: an IRI in cmi5' }),
    title: Languages,
    description: Languages,
    objectives: Type.Array(Type.String()),
    requires: Type.Array(Type.String(), { description: 'Units that must be satisfied before this one starts, by id' }),
    collateralCredit: Type.Array(Type.String(), {
      description: 'Units that are waived when this item is satisfied, by id',
    }),
    url: Type.Optional(Type.String({ description: 'Where the unit starts, relative to the package or absolute' })),
    launchMethod: Type.Optional(Type.String({ enum: ['AnyWindow', 'OwnWindow'] })),
    moveOn: Type.Optional(
      Type.String({ enum: ['NotApplicable', 'Passed', 'Completed', 'CompletedAndPassed', 'CompletedOrPassed'] }),
    ),
    masteryScore: Type.Optional(Type.Number({ description: 'Score needed to pass, from 0 to 1' })),
    launchParameters: Type.Optional(Type.String()),
    entitlementKey: Type.Optional(Type.String()),
    activityType: Type.Optional(Type.String()),
    scormType: Type.Optional(
      Type.String({ enum: ['sco', 'asset'], description: 'SCORM: an asset reports nothing about the student' }),
    ),
    isVisible: Type.Optional(Type.Boolean({ description: 'SCORM: false if menus do not show the item' })),
    prerequisites: Type.Optional(Type.String({ description: 'SCORM 1.2: an expression over ids of items' })),
    masteryscore: Type.Optional(Type.Number({ description: 'SCORM 1.2: score needed to pass, from 0 to 100' })),
    maxtimeallowed: Type.Optional(Type.String({ description: 'SCORM 1.2: HHHH:MM:SS.SS' })),
  },
  { title: 'PackageItem' },
)
export type PackageItem = Static<typeof PackageItem>
export const PackageItemPage = PageOf(PackageItem, 'PackageItemPage')
