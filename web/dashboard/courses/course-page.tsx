import { Alert, Anchor, Button, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type CourseDocument, saveCourse } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { notify } from '../../parts/notify.tsx'
import { useOrganisationNames } from '../../parts/organisation-names.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { dashboardWords } from '../words.ts'
import { COURSE_READS } from './course-model.ts'
import { Discard, Publish } from './draft-buttons.tsx'
import { Lessons } from './lesson-list.tsx'
import { Objectives } from './objective-list.tsx'
import { Versions } from './versions.tsx'

const route = getRouteApi('/signed-in/dashboard/courses/$courseId')
const { course: say } = dashboardWords

/** Lets an author edit a course: the draft if there is one, otherwise the newest version. */
export function CoursePage() {
  // The editor starts anew with each answer, so nothing but a save may cause another: unsaved changes would be lost.
  const found = useQuery({
    ...route.useLoaderData().course,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <Loaded query={found}>
      {(doc) => <Editor key={`${doc.courseId}-${doc.version}-${doc.draft}-${found.dataUpdatedAt}`} course={doc} />}
    </Loaded>
  )
}

function Editor({ course }: { readonly course: CourseDocument }) {
  const [doc, setDoc] = useState(course)
  const isDirty = doc !== course
  useUnsaved(() => isDirty)
  const nameOfOrganisation = useOrganisationNames([course.organisation])
  const save = useWrite(saveCourse, { changes: COURSE_READS })
  const onSave = () => {
    const { version: _, draft: __, ...what } = doc
    save.mutate(what, { onSuccess: () => notify(say.saved) })
  }
  return (
    <>
      <PageHead
        title={course.name}
        lead={say.lead(nameOfOrganisation(course.organisation), course.version)}
        above={
          <Anchor component={Link} to="/dashboard" size="sm">
            {dashboardWords.classes.title}
          </Anchor>
        }
        action={
          <Group gap="xs">
            {course.draft && !isDirty && <Discard course={course} />}
            <Button
              variant={isDirty ? 'filled' : 'default'}
              disabled={!isDirty}
              loading={save.isPending}
              onClick={onSave}
            >
              {say.save}
            </Button>
            {course.draft && <Publish course={course} isDisabled={isDirty} />}
          </Group>
        }
      />
      <Stack gap="lg">
        {save.error && <Problem title={say.saveFailed} error={save.error} />}
        {isDirty ? <Alert color="yellow">{say.unsaved}</Alert> : course.draft && <Alert>{say.draft}</Alert>}
        <Card title={say.about}>
          <Stack>
            <TextInput
              label={say.name}
              value={doc.name}
              error={doc.name.trim() === '' ? say.missingName : null}
              onChange={(event) => setDoc({ ...doc, name: event.currentTarget.value })}
            />
            <Textarea
              label={say.description}
              autosize
              minRows={2}
              value={doc.description ?? ''}
              onChange={(event) => setDoc({ ...doc, description: event.currentTarget.value })}
            />
            <Switch
              label={say.public}
              description={say.publicHelp}
              checked={doc.public ?? false}
              onChange={(event) => setDoc({ ...doc, public: event.currentTarget.checked })}
            />
          </Stack>
        </Card>
        <Lessons doc={doc} onChange={setDoc} />
        <Objectives doc={doc} onChange={setDoc} />
        <Versions courseId={course.courseId} />
      </Stack>
    </>
  )
}
