import { Button, Group, Select, Stack, Text, Textarea, VisuallyHidden } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { createNote, listNotes, type Results, readTimeline, removeNote } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import classes from './notes-card.module.css'
import { dataOf, type TimelineEntry } from './timeline-model.ts'

const { notes: say } = dashboardWords
const CHANGES = [readTimeline, listNotes]

interface NotesCardProps {
  /** Entries of the timeline. Notes are taken from these, because they contain the names of the authors. */
  readonly entries: readonly TimelineEntry[]
  readonly lessons: Results['lessons']
  readonly studentId: string
  readonly mayWrite: boolean
  readonly mayRemove: boolean
}

export function NotesCard({ entries, lessons, studentId, mayWrite, mayRemove }: NotesCardProps) {
  const notes = entries.filter(({ kind }) => kind === 'note')
  const [asked, setAsked] = useState<string>()
  const remove = useWrite(removeNote, { changes: CHANGES })
  const nameOf = (lessonId: string | null) => lessons.find((one) => one.lessonId === lessonId)?.name
  return (
    <Card title={say.title}>
      <Stack>
        {notes.length === 0 && (
          <Text size="sm" c="dimmed">
            {say.empty}
          </Text>
        )}
        {notes.map((one) => {
          const { noteId, text } = dataOf<{ noteId: string; text: string }>(one)
          return (
            <div key={noteId} className={classes.note}>
              <Text className={classes.text}>{text}</Text>
              <Group gap="xs" justify="space-between">
                <Text size="xs" c="dimmed">
                  {[one.byName && say.by(one.byName), nameOf(one.lessonId)].filter(Boolean).map((fact) => `${fact} · `)}
                  <Time at={one.at} />
                </Text>
                {mayRemove && (
                  <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setAsked(noteId)}>
                    <span aria-hidden>{say.remove}</span>
                    <VisuallyHidden>{say.removeOf(text.slice(0, 40))}</VisuallyHidden>
                  </Button>
                )}
              </Group>
            </div>
          )
        })}
        {mayWrite && <NoteForm lessons={lessons} studentId={studentId} />}
      </Stack>
      <Dialog isOpen={asked !== undefined} onClose={() => setAsked(undefined)} title={say.removeTitle}>
        <Stack>
          {remove.error && <Problem title={say.removeFailed} error={remove.error} />}
          <Text size="sm">{say.removeText}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(undefined)}>
              {words.form.cancel}
            </Button>
            <Button
              color="red"
              loading={remove.isPending}
              onClick={() =>
                remove.mutate(
                  { noteId: asked! },
                  {
                    onSuccess: () => {
                      setAsked(undefined)
                      notify(say.removed)
                    },
                  },
                )
              }
            >
              {say.remove}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Card>
  )
}

function NoteForm({ lessons, studentId }: Pick<NotesCardProps, 'lessons' | 'studentId'>) {
  const [text, setText] = useState('')
  const [lessonId, setLessonId] = useState<string | null>(null)
  const add = useWrite(createNote, { changes: CHANGES })
  useUnsaved(() => text.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(
      { text: text.trim(), studentId, ...(lessonId !== null && { lessonId }) },
      {
        onSuccess: () => {
          setText('')
          notify(say.added)
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {add.error && <Problem title={say.addFailed} error={add.error} />}
        <Textarea
          label={say.write}
          description={say.help}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={2}
          maxLength={10_000}
        />
        <Group align="flex-end">
          <Select
            label={say.about}
            placeholder={say.aboutAll}
            clearable
            data={lessons.map(({ lessonId: value, name: label }) => ({ value, label }))}
            value={lessonId}
            onChange={setLessonId}
            flex={1}
          />
          <Button type="submit" variant="default" disabled={text.trim() === ''} loading={add.isPending}>
            {say.add}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
