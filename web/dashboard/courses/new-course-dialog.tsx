import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { listManagedCourses, type Organisation, saveCourse } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { organisationWords } from '../../parts/organisation-words.ts'
import { Problem } from '../../parts/states.tsx'
import { Unsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'

const { newCourse: say, course } = dashboardWords

/**
 * Derives an id from the name. A random suffix makes it unique: with the id of an existing course, the new draft would
 * replace the draft of that course.
 */
const makeCourseId = (name: string): string => {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 48)
  return `${slug.replace(/^-|-$/g, '') || 'course'}-${crypto.randomUUID().slice(0, 8)}`
}

interface NewCourseDialogProps {
  /** The organisation to preselect, if the person has only one. */
  readonly only: Organisation | undefined
  readonly onClose: () => void
}

/** Creates a draft without lessons. Lessons are added on the page of the course. */
export function NewCourseDialog({ only, onClose }: NewCourseDialogProps) {
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { organisation: only?.organisation ?? '', name: '' },
    validate: {
      organisation: (value) => (value ? null : organisationWords.missing),
      name: (value) => (value.trim() === '' ? say.missingName : null),
    },
  })
  const create = useWrite(saveCourse, {
    changes: [listManagedCourses],
    onDone: ({ courseId }) =>
      void navigate({ to: '/dashboard/courses/$courseId', params: { courseId }, ignoreBlocker: true }),
  })
  const submit = form.onSubmit(({ organisation, name }) =>
    create.mutate({ courseId: makeCourseId(name), organisation, name, lessons: [] }),
  )
  return (
    <Dialog isOpen onClose={onClose} title={say.open}>
      <form onSubmit={submit} noValidate>
        <Unsaved hasChanges={() => form.isDirty('name')} />
        <Stack>
          {create.error && <Problem title={say.failed} error={create.error} />}
          {only === undefined && (
            <OrganisationField
              asRole="courseAuthor"
              error={form.errors.organisation}
              onChange={(key) => form.setFieldValue('organisation', key)}
            />
          )}
          <TextInput label={course.name} maxLength={200} data-autofocus {...form.getInputProps('name')} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {say.go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
