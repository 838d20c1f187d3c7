import { Button, Group, Input, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listFiles, type StoredFile } from '../../../api/operations.ts'
import { query } from '../../../api/query.ts'
import { FileLibrary } from '../../content/file-library.tsx'
import { contentWords as say } from '../../content/words.ts'
import type { KindFieldsProps } from './fields-props.ts'

/** Chooses the PDF, video or sound of a lesson, and the captions of a video. */
export function FileFields({ course, lesson, onChange, errors }: KindFieldsProps) {
  const [choosing, setChoosing] = useState<'file' | 'captions'>()
  const { organisation } = course
  const ids = [lesson.file, lesson.captions].filter((id) => id !== undefined && id !== '')
  const list = useQuery({
    ...query(listFiles, { organisation, fileIds: ids as string[], limit: 10 }),
    enabled: ids.length > 0,
  })
  const nameOf = (id: string | undefined) => list.data?.docs.find(({ fileId }) => fileId === id)?.name ?? id
  const file = list.data?.docs.find(({ fileId }) => fileId === lesson.file)
  return (
    <Stack gap="sm">
      <Input.Wrapper label={say.chosen} error={errors.file} labelElement="div">
        <Group gap="sm">
          {lesson.file && <Text size="sm">{nameOf(lesson.file)}</Text>}
          <Button variant="default" size="xs" onClick={() => setChoosing('file')}>
            {lesson.file ? say.chooseOther : say.choose}
          </Button>
        </Group>
      </Input.Wrapper>
      {file?.mediaType.startsWith('video/') && (
        <Input.Wrapper
          label={say.captions}
          description={say.captionsHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          labelElement="div"
        >
          <Group gap="sm">
            {lesson.captions && <Text size="sm">{nameOf(lesson.captions)}</Text>}
            <Button variant="default" size="xs" onClick={() => setChoosing('captions')}>
              {say.chooseCaptions}
            </Button>
            {lesson.captions && (
              <Button variant="subtle" size="xs" onClick={() => onChange({ captions: '' })}>
                {say.noCaptions}
              </Button>
            )}
          </Group>
        </Input.Wrapper>
      )}
      <FileLibrary
        organisation={organisation}
        isOpen={choosing !== undefined}
        isForCaptions={choosing === 'captions'}
        isUsable={choosing === 'captions' ? isCaptions : isLesson}
        onClose={() => setChoosing(undefined)}
        onUse={({ fileId }) => {
          // Captions belong to one video.
          onChange(choosing === 'captions' ? { captions: fileId } : { file: fileId, captions: '' })
          setChoosing(undefined)
        }}
      />
    </Stack>
  )
}

const isLesson = ({ mediaType }: StoredFile): boolean => /^(?:application\/pdf$|video\/|audio\/)/.test(mediaType)
const isCaptions = ({ mediaType }: StoredFile): boolean => mediaType === 'text/vtt'
