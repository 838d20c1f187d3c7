import { ActionIcon, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react'
import { listFiles } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Bold, FileUp, Heading, type IconType, Italic, Link2, List } from '../../parts/icons.tsx'
import { FileLibrary } from './file-library.tsx'
import classes from './page-editor.module.css'
import { applyTool, fileText, type Selection, type Tool } from './page-tools.ts'
import { type PageFile, RichPage } from './rich-page.tsx'
import { UploadsShown } from './uploads-shown.tsx'
import { useUploads } from './use-uploads.ts'
import { contentWords as say } from './words.ts'

const TOOLS: readonly (readonly [Tool, string, IconType])[] = [
  ['heading', say.heading, Heading],
  ['bold', say.bold, Bold],
  ['italic', say.italic, Italic],
  ['list', say.list, List],
  ['link', say.link, Link2],
]

interface PageEditorProps {
  readonly organisation: string
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (text: string) => void
}

/** Edits the text of a page, with a preview beside it; on narrow screens, in its place. */
export function PageEditor({ organisation, value, error, onChange }: PageEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  // The newest text, for uploads that end after further typing.
  const latest = useRef(value)
  latest.current = value
  const [view, setView] = useState('text')
  const [isChoosing, setChoosing] = useState(false)
  const { upload, uploads, dismiss } = useUploads(organisation)
  const files = useFilesIn(value, organisation)
  const selection = (): Selection => {
    const { selectionStart = latest.current.length, selectionEnd = selectionStart } = area.current ?? {}
    return { start: selectionStart, end: selectionEnd }
  }
  const put = (change: { readonly text: string; readonly selection: Selection }) => {
    onChange(change.text)
    latest.current = change.text
    requestAnimationFrame(() => {
      area.current?.focus()
      area.current?.setSelectionRange(change.selection.start, change.selection.end)
    })
  }
  const insert = (text: string) => {
    const { start, end } = selection()
    const at = start + text.length
    put({ text: latest.current.slice(0, start) + text + latest.current.slice(end), selection: { start: at, end: at } })
  }
  const add = async (given: readonly File[]) => {
    for (const file of await upload(given)) insert(fileText(file))
  }
  const take = (event: ClipboardEvent | DragEvent, data: DataTransfer | null) => {
    if (!data || data.files.length === 0) return
    event.preventDefault()
    void add([...data.files])
  }
  return (
    <Stack gap="xs" className={classes.editor}>
      <Group justify="space-between" gap="xs">
        <Group gap={4} role="toolbar" aria-label={say.tools}>
          {TOOLS.map(([tool, label, Icon]) => (
            <ActionIcon
              key={tool}
              variant="default"
              aria-label={label}
              title={label}
              onClick={() => put(applyTool(tool, latest.current, selection()))}
            >
              <Icon size={16} aria-hidden />
            </ActionIcon>
          ))}
          <ActionIcon variant="default" aria-label={say.file} title={say.file} onClick={() => setChoosing(true)}>
            <FileUp size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <SegmentedControl
          className={classes.views}
          size="xs"
          value={view}
          onChange={setView}
          data={[
            { value: 'text', label: say.text },
            { value: 'preview', label: say.preview },
          ]}
        />
      </Group>
      <div className={classes.both} data-view={view}>
        <Textarea
          ref={area}
          className={classes.text}
          label={say.text}
          description={say.textHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={12}
          maxRows={30}
          value={value}
          error={error}
          onChange={(event) => onChange(event.currentTarget.value)}
          onPaste={(event) => take(event, event.clipboardData)}
          onDrop={(event) => take(event, event.dataTransfer)}
        />
        <section className={classes.preview} aria-label={say.preview}>
          {value.trim() === '' ? <Text c="dimmed">{say.emptyPreview}</Text> : <RichPage text={value} files={files} />}
        </section>
      </div>
      <UploadsShown uploads={uploads} onDismiss={dismiss} />
      <FileLibrary
        organisation={organisation}
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
        onUse={(file) => {
          setChoosing(false)
          insert(fileText(file))
        }}
      />
    </Stack>
  )
}

/** Reads the files that a text uses, for the preview. */
function useFilesIn(text: string, organisation: string): readonly PageFile[] {
  const ids = [...new Set([...text.matchAll(/\]\(file:([\w-]{1,64})/g)].map(([, id]) => id!))].slice(0, 100).sort()
  const list = useQuery({
    ...query(listFiles, { organisation, fileIds: ids, limit: 100 }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
  return list.data?.docs ?? []
}
