import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { readSettings, removeCover, removePicture, setCover, setPicture } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { renewPictures, useOwnPicture } from '../../parts/own-avatar.tsx'
import { Problem } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { accountWords } from '../words.ts'
import classes from './picture-card.module.css'

const { pictures } = accountWords
const TYPES = ['image/png', 'image/jpeg', 'image/webp']
const MAX_BYTES = 5 * 1024 * 1024

interface PictureCardProps {
  readonly kind: 'picture' | 'cover'
  /** Whether the person has uploaded this picture; otherwise it is generated. */
  readonly isOwn: boolean
}

/** Lets the person upload a picture or a cover, with a preview of how it will be cropped. */
export function PictureCard({ kind, isOwn }: PictureCardProps) {
  const say = pictures.kinds[kind]
  const now = useOwnPicture(kind, kind === 'picture' ? 256 : 640)
  const [chosen, setChosen] = useState<File | null>(null)
  const [fault, setFault] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  const preview = usePreview(chosen)
  const done = (message: string) => {
    setChosen(null)
    setAsking(false)
    renewPictures()
    notify(message)
  }
  const set = useWrite(kind === 'picture' ? setPicture : setCover, {
    changes: [readSettings],
    onDone: () => done(say.set),
  })
  const remove = useWrite(kind === 'picture' ? removePicture : removeCover, {
    changes: [readSettings],
    onDone: () => done(say.removed),
  })
  const choose = (file: File | null) => {
    if (!file) return
    set.reset()
    const problem =
      file.size > MAX_BYTES ? pictures.tooLarge : TYPES.includes(file.type) ? undefined : pictures.wrongType
    setFault(problem)
    setChosen(problem === undefined ? file : null)
  }
  return (
    <Card title={say.title}>
      <Stack>
        <Text size="sm">
          {say.text} {!isOwn && pictures.generated}
        </Text>
        {preview === undefined ? (
          <img className={classes[kind]} src={now} alt={say.alt} />
        ) : (
          <img className={classes[kind]} src={preview} alt={say.preview} />
        )}
        {fault !== undefined && <Problem title={say.setFailed} error={new Error(fault)} />}
        {set.error && <Problem title={say.setFailed} error={set.error} />}
        <Group>
          {chosen && (
            <Button loading={set.isPending} onClick={() => set.mutate({ file: chosen })}>
              {pictures.upload}
            </Button>
          )}
          <FileButton onChange={choose} accept={TYPES.join(',')}>
            {(button) => (
              <Button variant="default" {...button}>
                {chosen ? pictures.other : say.choose}
              </Button>
            )}
          </FileButton>
          {chosen && (
            <Button variant="subtle" color="gray" onClick={() => setChosen(null)}>
              {words.form.cancel}
            </Button>
          )}
          {!chosen && isOwn && (
            <Button variant="light" color="red" onClick={() => setAsking(true)}>
              {say.remove}
            </Button>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {pictures.rules}
        </Text>
      </Stack>
      <Confirm
        isOpen={isAsking}
        title={say.removeTitle}
        go={say.remove}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => remove.mutate({})}
        onClose={() => setAsking(false)}
      >
        {pictures.removeText}
      </Confirm>
    </Card>
  )
}

/** Returns an object URL that shows a local file, and revokes it when the file changes. */
function usePreview(file: File | null): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!file) return setAddress(undefined)
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address
}
