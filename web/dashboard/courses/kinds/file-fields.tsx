import { TextInput } from '@mantine/core'
import { dashboardWords } from '../../words.ts'
import type { KindFieldsProps } from './fields-props.ts'

export const FileFields = ({ lesson, onChange, errors }: KindFieldsProps) => (
  <TextInput
    label={dashboardWords.course.file}
    value={lesson.file ?? ''}
    error={errors.file}
    onChange={(event) => onChange({ file: event.currentTarget.value })}
  />
)
