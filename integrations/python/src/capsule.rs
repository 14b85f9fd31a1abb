//! Arrays from and to Python by the Arrow `PyCapsule` interface.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, ArrayRef, BinaryArray, NullArray, StringArray, make_array};
use arrow_data::transform::MutableArrayData;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyString, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// An Arrow array, for any library that reads the Arrow `PyCapsule` interface:
/// `pyarrow.array(result)`, `polars.Series(result)`.
#[pyclass(frozen, module = "verger_arrow")]
pub(crate) struct Array(pub(crate) ArrayRef);

#[pymethods]
impl Array {
    /// The array as a pair of capsules. A requested type is ignored, as the interface permits.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        drop(requested_schema);
        let (array, schema) =
            to_ffi(&self.0.to_data()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let schema = PyCapsule::new_with_value(py, Capsule(schema), SCHEMA)?;
        let array = PyCapsule::new_with_value(py, Capsule(array), ARRAY)?;
        PyTuple::new(py, [schema, array])
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<verger_arrow.Array of {} rows: {}>", self.0.len(), self.0.data_type())
    }
}

/// The content of a capsule, at the address that the interface expects.
#[repr(transparent)]
struct Capsule<T>(T);

// SAFETY: the interface permits moving both structs to another thread. They own what they point to.
unsafe impl<T> Send for Capsule<T> {}

/// A column of a call: an Arrow array, chunks of arrays, or a constant.
pub(crate) fn column(name: &str, value: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if value.is_none() {
        return Ok(Arc::new(NullArray::new(1)));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Arc::new(StringArray::from(vec![text.to_str()?])));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Arc::new(BinaryArray::from_vec(vec![bytes.as_bytes()])));
    }
    if value.hasattr("__arrow_c_array__")? {
        return array(&value.call_method0("__arrow_c_array__")?);
    }
    if value.hasattr("__arrow_c_stream__")? {
        return stream(&value.call_method0("__arrow_c_stream__")?);
    }
    let found = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "column `{name}`: expected an Arrow array (`__arrow_c_array__` or `__arrow_c_stream__`), str, \
         bytes or None, but found {found}"
    )))
}

fn array(pair: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = pair.extract()?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules with these names hold these structs, and this call takes them over: what is
    // left in their place is marked as released.
    let (schema, array) = unsafe {
        (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()))
    };
    imported(array, &schema)
}

fn imported(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> PyResult<ArrayRef> {
    // SAFETY: the producer promises that both agree with the C data interface.
    let data = unsafe { from_ffi(array, schema) };
    data.map(make_array).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// All chunks of a stream as one array.
fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as in `array`.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    let (Some(get_schema), Some(get_next)) = (stream.get_schema, stream.get_next) else {
        return Err(PyValueError::new_err("the stream was used already"));
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: these are the functions of this stream, which is not released.
    let status = unsafe { get_schema(&raw mut stream, &raw mut schema) };
    succeed(&mut stream, status)?;
    let mut chunks = Vec::new();
    loop {
        let mut chunk = FFI_ArrowArray::empty();
        // SAFETY: as above.
        let status = unsafe { get_next(&raw mut stream, &raw mut chunk) };
        succeed(&mut stream, status)?;
        if chunk.is_released() {
            break;
        }
        chunks.push(imported(chunk, &schema)?);
    }
    if let [one] = &chunks[..] {
        return Ok(Arc::clone(one));
    }
    let data: Vec<_> = chunks.iter().map(arrow_array::Array::to_data).collect();
    if data.is_empty() {
        let kind = arrow_schema::DataType::try_from(&schema)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        return Ok(arrow_array::new_empty_array(&kind));
    }
    let length = data.iter().map(arrow_data::ArrayData::len).sum();
    let mut joined = MutableArrayData::new(data.iter().collect(), false, length);
    for (at, chunk) in data.iter().enumerate() {
        let extended = joined.try_extend(at, 0, chunk.len());
        extended.map_err(|error| PyValueError::new_err(error.to_string()))?;
    }
    Ok(make_array(joined.freeze()))
}

fn succeed(stream: &mut FFI_ArrowArrayStream, status: i32) -> PyResult<()> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: this is the function of this stream; its text is valid until the next call.
    let why = stream.get_last_error.and_then(|get| unsafe {
        let text = get(&raw mut *stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    Err(PyValueError::new_err(why.unwrap_or_else(|| format!("the stream failed with {status}"))))
}
