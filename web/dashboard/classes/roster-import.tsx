import { importRoster } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { CsvImport } from '../../parts/csv-import.tsx'
import { dashboardWords } from '../words.ts'
import { ROSTER_CHANGES } from './roster-changes.ts'

const TEMPLATE = {
  name: 'students.csv',
  text: 'email,givenName,familyName,action,studentId\r\nnoor@example.org,Noor,Haddad,add,\r\n',
}

/** Imports a roster from a CSV file. */
export function RosterImport({ classId, onClose }: { readonly classId: string; readonly onClose: () => void }) {
  const send = useWrite(importRoster, { changes: ROSTER_CHANGES })
  return (
    <CsvImport
      say={dashboardWords.import}
      template={TEMPLATE}
      isPending={send.isPending}
      error={send.error}
      onSend={(file, how, onReport) =>
        send.mutate(
          { classId, ...how, file },
          {
            onSuccess: ({ rows, ...report }) =>
              onReport({ ...report, rows: rows.map(({ handle, ...row }) => ({ ...row, name: handle })) }),
          },
        )
      }
      onClose={onClose}
    />
  )
}
