import { person } from '../../kernel/http/callers/callers.ts'
import { administrator } from '../../kernel/http/callers/needs.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { FILE_ID } from '../../kernel/samples.ts'
import { deleteFile, listFiles, listOrganisationStorage, readFileUsage, setFileLimit } from './content.ts'
import { FILE_DELETERS, FILE_ROLES } from './roles.ts'
import {
  FilePage,
  FileUsage,
  ListFiles,
  ListOrganisationStorage,
  NameFile,
  NameOrganisation,
  OrganisationStoragePage,
  SetFileLimit,
  StoredFile,
  UploadFile,
} from './schema.ts'
import { uploadFile } from './upload.ts'

const op = operationsIn({ area: 'Files', who: person })

export const fileOperations: readonly Operation[] = [
  op('POST /edu/v1/file', {
    name: 'uploadFile',
    summary: 'Upload a file',
    description:
      'Stores the file in the body: an image, a PDF, a video, audio, captions, text, CSV or an Office document. The type is determined from its content; other types, PDFs with scripts, and files beyond the limits are refused. Sending the same file with the same name again returns the first one.',
    example: {
      request: { organisation: 'sandhills', name: 'fuel.csv', file: 'tail,litres\r\nN123AB,140\r\nN456CD,95\r\n' },
      as: 'casey',
      isLive: true,
    },
    roles: FILE_ROLES,
    input: UploadFile,
    from: 'stream',
    bodyBytes: ({ FILE_BYTES }) => FILE_BYTES,
    output: json(StoredFile),
    errors: ['forbidden', 'impossibleNow', 'storageFull', 'unsupportedMediaType'],
    run: ({ db, who, environment }, input) => uploadFile(db, who, input, environment),
  }),
  op('GET /edu/v1/file/list', {
    name: 'listFiles',
    summary: 'List files',
    description:
      'Returns the files of an organisation, newest first, each with a URL for browsers. Owners and administrators see them, and instructors of a class of the organisation.',
    example: { request: { organisation: 'sandhills' }, as: 'casey', after: 'uploadFile', isLive: true },
    roles: FILE_ROLES,
    input: ListFiles,
    output: json(FilePage),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who, environment }, input) => listFiles(db, who, input, environment),
  }),
  op('POST /edu/v1/file/remove', {
    name: 'deleteFile',
    summary: 'Delete a file',
    description:
      'Deletes a file of an organisation. Instructors can delete only files that they uploaded. A file that a published course uses cannot be deleted.',
    example: { request: { fileId: FILE_ID }, as: 'casey', after: 'uploadFile' },
    roles: FILE_DELETERS,
    input: NameFile,
    output: success(),
    errors: ['forbidden', 'impossibleNow'],
    run: ({ db, who }, input) => deleteFile(db, who, input),
  }),
  op('GET /edu/v1/file/usage', {
    name: 'readFileUsage',
    summary: 'Get the storage used by files',
    description:
      'Returns how much storage the files and content packages of an organisation use, and its limit. A file that two lessons share counts once.',
    example: { request: { organisation: 'sandhills' }, as: 'casey' },
    roles: FILE_ROLES,
    input: NameOrganisation,
    output: json(FileUsage),
    errors: ['forbidden'],
    run: ({ db, who, environment }, input) => readFileUsage(db, who, input, environment),
  }),
  op('GET /edu/v1/file/storage', {
    name: 'listOrganisationStorage',
    summary: 'List the storage of organisations',
    description:
      'Returns how much storage the files and content packages of each organisation use, the largest first, with their number and the limit. An organisation without a limit of its own has that of the platform.',
    example: { request: { query: 'sandhills' }, as: 'ellis', isLive: true },
    needs: [administrator],
    input: ListOrganisationStorage,
    output: json(OrganisationStoragePage),
    run: ({ db, environment }, input) => listOrganisationStorage(db, input, environment),
  }),
  op('POST /edu/v1/file/limit', {
    name: 'setFileLimit',
    summary: 'Set the storage for files',
    description:
      'Sets how much storage the files and content packages of an organisation may use. Files that exceed a lower limit stay, but no more can be uploaded.',
    example: { request: { organisation: 'sandhills', limitBytes: 10_000_000_000 }, as: 'ellis' },
    needs: [administrator],
    input: SetFileLimit,
    output: json(FileUsage),
    errors: ['notFound'],
    run: ({ db, who, environment }, input) => setFileLimit(db, who, input, environment),
  }),
]
