import { type Static, Type } from 'typebox'
import { FileStream, Id, IdList, Text, Whole } from '../../kernel/http/input/fields.ts'
import { PageOf, paging, sorting } from '../../kernel/paging.ts'
import { TYPE_GROUPS } from './media-types.ts'

const FILE_COLUMNS = ['name', 'bytes', 'created'] as const

const organisation = Id('Key of the organisation')

export const UploadFile = Type.Object({
  organisation,
  name: Text('Name of the file, such as `checklist.pdf`', 200),
  file: FileStream('The file'),
})
export type UploadFile = Static<typeof UploadFile>

export const ListFiles = Type.Object({
  organisation,
  query: Type.Optional(Text('Words in the name of the file', 200)),
  type: Type.Optional(
    Type.Unsafe<keyof typeof TYPE_GROUPS>({ ...Id('Type of the files'), enum: Object.keys(TYPE_GROUPS) }),
  ),
  fileIds: Type.Optional(IdList('Only the files with these ids', 100)),
  sort: sorting(FILE_COLUMNS, '-created'),
  ...paging,
})
export type ListFiles = Static<typeof ListFiles>

export const NameFile = Type.Object({ fileId: Id('Id of a file') })
export type NameFile = Static<typeof NameFile>

export const NameOrganisation = Type.Object({ organisation })
export type NameOrganisation = Static<typeof NameOrganisation>

export const SetFileLimit = Type.Object({
  organisation,
  limitBytes: Type.Optional(
    Whole('Storage for the files of the organisation (bytes). Left out: the limit of the platform', 0, 2 ** 50),
  ),
})
export type SetFileLimit = Static<typeof SetFileLimit>

/** A file as lessons show it. */
export const LinkedFile = Type.Object(
  {
    fileId: Type.String(),
    name: Type.String(),
    mediaType: Type.String(),
    bytes: Type.Integer(),
    url: Type.String({ description: 'Where browsers load the file. Valid for at least six hours' }),
  },
  { title: 'LinkedFile' },
)
export type LinkedFile = Static<typeof LinkedFile>

const STORAGE_COLUMNS = ['name', 'used'] as const

export const ListOrganisationStorage = Type.Object({
  query: Type.Optional(Text('Words in the name of the organisation', 200)),
  sort: sorting(STORAGE_COLUMNS, '-used'),
  ...paging,
})
export type ListOrganisationStorage = Static<typeof ListOrganisationStorage>

export const OrganisationStorage = Type.Object(
  {
    organisation: Type.String(),
    name: Type.String(),
    usedBytes: Type.Integer({
      description: 'Size of all files and packages, with what packages unpack to and what unfinished uploads reserve',
    }),
    limitBytes: Type.Integer(),
    ownLimit: Type.Boolean({ description: 'Whether the organisation has a limit of its own' }),
    files: Type.Integer({ description: 'Number of files' }),
    packages: Type.Integer({ description: 'Number of content packages' }),
  },
  { title: 'OrganisationStorage' },
)
export type OrganisationStorage = Static<typeof OrganisationStorage>
export const OrganisationStoragePage = PageOf(OrganisationStorage, 'OrganisationStoragePage')

export const StoredFile = Type.Object(
  {
    fileId: Type.String(),
    organisation: Type.String(),
    name: Type.String(),
    mediaType: Type.String({ description: 'Media type, determined from the content' }),
    bytes: Type.Integer(),
    url: Type.String({ description: 'Where browsers load the file. Valid for at least six hours' }),
    author: Type.Union([Type.String(), Type.Null()], { description: 'Handle of the user who uploaded it' }),
    createdDate: Type.String({ format: 'date-time' }),
    may: Type.Object({ delete: Type.Boolean() }, { description: 'What the caller may do with the file' }),
  },
  { title: 'StoredFile' },
)
export type StoredFile = Static<typeof StoredFile>
export const FilePage = PageOf(StoredFile, 'FilePage')

export const FileUsage = Type.Object(
  {
    organisation: Type.String(),
    usedBytes: Type.Integer({
      description: 'Sum of the sizes of all files and packages, with what the packages unpack to',
    }),
    limitBytes: Type.Integer(),
    largestFileBytes: Type.Integer({ description: 'Size limit of one file' }),
  },
  { title: 'FileUsage' },
)
export type FileUsage = Static<typeof FileUsage>
