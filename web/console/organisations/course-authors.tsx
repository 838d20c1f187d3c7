import { Stack, Switch } from '@mantine/core'
import { listOrganisations, type Organisation, readOrganisation, setCourseAuthors } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { authorWords as say } from './author-words.ts'

/** Lets owners decide whether instructors of the organisation can create courses. */
export function CourseAuthors({
  organisation: { organisation, courseAuthors },
}: {
  readonly organisation: Organisation
}) {
  const set = useWrite(setCourseAuthors, {
    changes: [readOrganisation, listOrganisations],
    onDone: (done) => notify(done.courseAuthors === 'instructors' ? say.on : say.off),
  })
  return (
    <Card title={say.title}>
      <Stack>
        {set.error && <Problem title={say.failed} error={set.error} />}
        <Switch
          label={say.label}
          description={say.help}
          checked={courseAuthors === 'instructors'}
          disabled={set.isPending}
          onChange={(event) =>
            set.mutate({ organisation, courseAuthors: event.currentTarget.checked ? 'instructors' : 'owners' })
          }
        />
      </Stack>
    </Card>
  )
}
