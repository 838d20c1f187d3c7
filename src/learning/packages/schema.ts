import { type Static, Type } from 'typebox'
import { FileStream, Id, Text } from '../../kernel/http/input/fields.ts'
import { PageOf, paging } from '../../kernel/paging.ts'

const organisation = Id('Key of the organisation')
const packageId = Id('Id of a package')

export const UploadPackage = Type.Object({
  organisation,
  name: Type.Optional(Text('Name of the file. Default: `package.zip`', 200)),
  file: FileStream('The package: a zip or Zip64 archive with `cmi5.xml` at its root, or `cmi5.xml` alone'),
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
  kind: Type.String({ enum: ['cmi5'], description: 'Standard that the package follows' }),
  title: Type.String({ description: 'Title in English, or else in the first language' }),
  name: Type.String({ description: 'Name of the uploaded file' }),
  bytes: Type.Integer({ description: 'Size of the uploaded file' }),
  storedBytes: Type.Integer({ description: 'Storage that the uploaded file and its unpacked files use' }),
  files: Type.Integer({ description: 'Number of files in the archive' }),
  units: Type.Integer({ description: 'Number of assignable units (AUs)' }),
  blocks: Type.Integer({ description: 'Number of blocks' }),
  author: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the user who uploaded it' }),
  createdDate: Type.String({ format: 'date-time' }),
  may: Type.Object({ delete: Type.Boolean() }, { description: 'What the caller may do with the package' }),
}

export const ContentPackage = Type.Object(packageFields, { title: 'ContentPackage' })
export type ContentPackage = Static<typeof ContentPackage>
export const ContentPackagePage = PageOf(ContentPackage, 'ContentPackagePage')

export const PackageDetails = Type.Object(
  {
    ...packageFields,
    url: Type.String({ description: 'Where browsers load the uploaded file. Valid for at least six hours' }),
    course: Type.Object(
      {
        id: Type.String({ description: 'Id that the author gave the course (IRI)' }),
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
    kind: Type.String({ enum: ['unit', 'block'], description: 'A unit is what a student starts: an AU of cmi5' }),
    id: Type.String({ description: 'Id that the author gave it (IRI)' }),
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
  },
  { title: 'PackageItem' },
)
export type PackageItem = Static<typeof PackageItem>
export const PackageItemPage = PageOf(PackageItem, 'PackageItemPage')
