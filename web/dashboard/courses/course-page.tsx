import { ActionIcon, Alert, Anchor, Button, Group, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type CourseDocument, saveCourse } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Copy, EllipsisVertical, Eye } from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { useOrganisationNames } from '../../parts/organisation-names.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { dashboardWords } from '../words.ts'
import { allLessons, COURSE_READS } from './course-model.ts'
import { CoursePackages } from './course-packages.tsx'
import { Discard, Publish } from './draft-buttons.tsx'
import { Lessons } from './lesson-list.tsx'
import { MistakeList } from './mistake-list.tsx'
import { type Mistake, mistakesIn } from './mistakes.ts'
import { Objectives } from './objective-list.tsx'
import { contentOf, type Replacement } from './package-changes.ts'
import { Versions } from './versions.tsx'
import { editingWords } from './words.ts'

const DuplicateCourse = onDemand(async () => (await import('./duplicate-course.tsx')).DuplicateCourse)
/** Loaded when somebody adds or replaces a package. */
const ChoosePackage = onDemand(async () => (await import('./choose-package.tsx')).ChoosePackage)
const ReplacementReport = onDemand(async () => (await import('./replacement-report.tsx')).ReplacementReport)

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
  // Kept here, because the editor starts anew when a package was replaced.
  const [replacement, setReplacement] = useState<Replacement>()
  return (
    <>
      <Loaded query={found}>
        {(doc) => (
          <Editor
            key={`${doc.courseId}-${doc.version}-${doc.draft}-${found.dataUpdatedAt}`}
            course={doc}
            onReplaced={setReplacement}
          />
        )}
      </Loaded>
      {replacement && <ReplacementReport replacement={replacement} onClose={() => setReplacement(undefined)} />}
    </>
  )
}

interface EditorProps {
  readonly course: CourseDocument
  readonly onReplaced: (what: Replacement) => void
}

function Editor({ course, onReplaced }: EditorProps) {
  const [doc, setDoc] = useState(course)
  const isDirty = doc !== course
  useUnsaved(() => isDirty)
  const [isDuplicating, setDuplicating] = useState(false)
  const navigate = useNavigate()
  const nameOfOrganisation = useOrganisationNames([course.organisation])
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([])
  const [edited, setEdited] = useState<string>()
  const [choosing, setChoosing] = useState<{ readonly replaces?: string }>()
  const save = useWrite(saveCourse, { changes: COURSE_READS })
  const onSave = () => {
    save.mutate(contentOf(doc), {
      onSuccess: () => notify(say.saved),
      onError: (error) => setMistakes(mistakesIn(error, doc)),
    })
  }
  const onCorrected = (change: { readonly id: string } | 'order') =>
    setMistakes((now) =>
      now.filter(({ id, field }) => (change === 'order' ? field !== 'prerequisites' : id !== change.id)),
    )
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
            <MenuButton
              position="bottom-end"
              button={
                <ActionIcon variant="default" size={36} aria-label={editingWords.actionsOf(course.name)}>
                  <EllipsisVertical size={16} aria-hidden />
                </ActionIcon>
              }
            >
              {(Menu) => (
                <>
                  <Menu.Item
                    leftSection={<Eye size={16} aria-hidden />}
                    disabled={isDirty}
                    onClick={() =>
                      void navigate({
                        to: '/dashboard/courses/$courseId/preview',
                        params: { courseId: course.courseId },
                      })
                    }
                  >
                    {editingWords.preview}
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<Copy size={16} aria-hidden />}
                    disabled={isDirty}
                    onClick={() => setDuplicating(true)}
                  >
                    {editingWords.duplicateCourse.open}
                  </Menu.Item>
                </>
              )}
            </MenuButton>
            {course.draft && !isDirty && <Discard course={course} />}
            <Button
              variant={isDirty ? 'filled' : 'default'}
              disabled={!isDirty}
              loading={save.isPending}
              onClick={onSave}
            >
              {say.save}
            </Button>
            {course.draft && (
              <Publish
                course={course}
                isDisabled={isDirty}
                onMistakes={(error) => setMistakes(mistakesIn(error, course))}
              />
            )}
          </Group>
        }
      />
      <Stack gap="lg">
        {mistakes.length > 0 ? (
          <MistakeList
            title={save.error ? editingWords.saveFailed : editingWords.publishFailed}
            mistakes={mistakes}
            lessons={allLessons(doc).map(({ id }) => id)}
            onCorrect={setEdited}
          />
        ) : (
          save.error &&
          mistakesIn(save.error, doc).length === 0 && <Problem title={say.saveFailed} error={save.error} />
        )}
        {isDirty ? <Alert color="yellow">{say.unsaved}</Alert> : course.draft && <Alert>{say.draft}</Alert>}
        <Card title={say.about}>
          <Stack>
            <TextInput
              label={say.name}
              maxLength={200}
              value={doc.name}
              error={doc.name.trim() === '' ? say.missingName : null}
              onChange={(event) => setDoc({ ...doc, name: event.currentTarget.value })}
            />
            <Textarea
              label={say.description}
              autosize
              minRows={2}
              maxLength={10_000}
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
        <Lessons
          doc={doc}
          onChange={setDoc}
          mistakes={mistakes}
          onCorrected={onCorrected}
          hasUnsaved={isDirty}
          edited={edited}
          onEdit={setEdited}
          onAddPackage={() => setChoosing({})}
        />
        <CoursePackages doc={doc} onReplace={(replaces) => setChoosing({ replaces })} />
        <Objectives doc={doc} onChange={setDoc} mistakes={mistakes} onCorrected={onCorrected} />
        <Versions courseId={course.courseId} mayCreateClasses={course.may.createClasses} />
      </Stack>
      {isDuplicating && <DuplicateCourse course={course} onClose={() => setDuplicating(false)} />}
      {choosing && (
        <ChoosePackage
          doc={doc}
          hasUnsaved={isDirty}
          replaces={choosing.replaces}
          onReplaced={onReplaced}
          onClose={() => setChoosing(undefined)}
        />
      )}
    </>
  )
}
