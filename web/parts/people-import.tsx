import { importPeople } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { CsvImport } from './csv-import.tsx'
import { csvImportWords } from './csv-import-words.ts'
import { MEMBER_CHANGES } from './member-changes.ts'

const TEMPLATE = {
  name: 'people.csv',
  text: 'email,handle,givenName,familyName,role\r\nnoor@example.org,,Noor,Haddad,instructor\r\n',
}

const say = csvImportWords({
  title: 'Import people',
  text: 'The columns are email or handle, and optionally givenName, familyName and role (owner, developer, instructor or member). People who are not members yet get an invitation. You see a preview before anything changes.',
  one: 'person',
  many: 'people',
})

/** Imports people into an organisation from a CSV file. */
export function PeopleImport({
  organisation,
  onClose,
}: {
  readonly organisation: string
  readonly onClose: () => void
}) {
  const send = useWrite(importPeople, { changes: MEMBER_CHANGES })
  return (
    <CsvImport
      say={say}
      template={TEMPLATE}
      isPending={send.isPending}
      error={send.error}
      onSend={(file, how, onReport) => send.mutate({ organisation, ...how, file }, { onSuccess: onReport })}
      onClose={onClose}
    />
  )
}
