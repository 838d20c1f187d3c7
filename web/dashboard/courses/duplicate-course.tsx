import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type CourseDocument, duplicateCourse, listManagedCourses } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notify.tsx'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { organisationWords } from '../../parts/organisation-words.ts'
import { ownOrganisations } from '../../parts/own-organisations.ts'
import { Problem } from '../../parts/states.tsx'
import { Unsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { editingWords } from './words.ts'

const { duplicateCourse: say } = editingWords

interface DuplicateCourseProps {
  readonly course: CourseDocument
  readonly onClose: () => void
}

/** Copies a course to a new draft, and opens it. */
export function DuplicateCourse({ course: { courseId, organisation, name }, onClose }: DuplicateCourseProps) {
  const navigate = useNavigate()
  const own = useQuery(ownOrganisations('courseAuthor', organisation))
  const form = useForm({
    initialValues: { name: editingWords.copyOf(name).slice(0, 200), organisation },
    validate: {
      name: (value) => (value.trim() === '' ? dashboardWords.newCourse.missingName : null),
      organisation: (value) => (value ? null : organisationWords.missing),
    },
  })
  const duplicate = useWrite(duplicateCourse, {
    changes: [listManagedCourses],
    onDone: (made) => {
      notify(say.done(made.name))
      onClose()
      void navigate({
        to: '/dashboard/courses/$courseId',
        params: { courseId: made.courseId },
        ignoreBlocker: true,
      })
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={say.open}>
      <form noValidate onSubmit={form.onSubmit((values) => duplicate.mutate({ courseId, ...values }))}>
        <Unsaved hasChanges={() => form.isDirty()} />
        <Stack>
          {duplicate.error && <Problem title={say.failed} error={duplicate.error} />}
          <Text size="sm">{say.text}</Text>
          <TextInput
            label={dashboardWords.course.name}
            maxLength={200}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {(own.data?.total ?? 0) > 1 && (
            <OrganisationField
              asRole="courseAuthor"
              first={own.data?.first}
              error={form.errors.organisation}
              onChange={(key) => form.setFieldValue('organisation', key)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
            <Button type="submit" loading={duplicate.isPending}>
              {say.go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
