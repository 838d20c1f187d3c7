import { Textarea } from '@mantine/core'
import { dashboardWords } from '../../words.ts'
import type { KindFieldsProps } from './fields-props.ts'

export const PageFields = ({ lesson, onChange, errors }: KindFieldsProps) => (
  <Textarea
    label={dashboardWords.course.text}
    autosize
    minRows={8}
    value={lesson.text ?? ''}
    error={errors.text}
    onChange={(event) => onChange({ text: event.currentTarget.value })}
  />
)
